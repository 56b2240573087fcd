// Counts the calls that a process makes of MPI, and their bytes, and writes them as it ends. Beside
// a program that MPI is linked to, loaded before it (LD_PRELOAD), where $MASING_COUNTS names a
// folder: each rank writes there a file, named by its rank, with a line "function calls bytes" for
// each function that it has called, and lines "VmHWM 1 bytes" and "RssAnon 1 bytes" of its memory
// at most and at the end. The bytes of a call are those of the larger of its buffers: of
// MPI_Allgather what all ranks send. What MPI calls itself within a call is not counted.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Counter {
  const char* name;
  long long calls;
  long long bytes;
  struct Counter* next;  // of those that have been called
};

static struct Counter* counters = NULL;

static void count(struct Counter* counter, const char* name, long long bytes) {
  if (counter->calls++ == 0) {
    counter->name = name;
    counter->next = counters;
    counters = counter;
  }
  counter->bytes += bytes;
}

static long long bytes_of(long long number, MPI_Datatype type) {
  int size = 0;
  if (number > 0) {
    PMPI_Type_size(type, &size);
  }
  return number * size;
}

static int ranks_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

static int receiving_ranks_of(MPI_Comm comm, int root) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == root ? ranks_of(comm) : 0;
}

static long long sum_of(const int* numbers, int ranks) {
  long long sum = 0;
  for (int i = 0; i < ranks; ++i) {
    sum += numbers[i];
  }
  return sum;
}

static long long larger(long long a, long long b) {
  return a > b ? a : b;
}

static void write_memory(FILE* file, const char* name) {
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, name, strlen(name)) == 0) {
      fprintf(file, "%s 1 %lld\n", name, 1024 * atoll(line + strlen(name) + 1));
    }
  }
  if (status != NULL) {
    fclose(status);
  }
}

int MPI_Finalize(void) {
  char path[4096];
  const char* folder = getenv("MASING_COUNTS");
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/%d", folder == NULL ? "." : folder, rank);
  FILE* file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
    return PMPI_Finalize();
  }
  for (const struct Counter* each = counters; each != NULL; each = each->next) {
    fprintf(file, "%s %lld %lld\n", each->name, each->calls, each->bytes);
  }
  write_memory(file, "VmHWM");
  write_memory(file, "RssAnon");
  fclose(file);
  return PMPI_Finalize();
}

#define COUNTED(name, parameters, arguments, bytes) \
  int MPI_##name parameters {                       \
    static struct Counter counter;                  \
    count(&counter, #name, bytes);                  \
    return PMPI_##name arguments;                   \
  }

// Between two ranks.
#define SENT(name)                                                                             \
  COUNTED(name,                                                                                \
          (const void* data, int number, MPI_Datatype type, int rank, int tag, MPI_Comm comm), \
          (data, number, type, rank, tag, comm), bytes_of(number, type))
#define SENT_LATER(name)                                                                      \
  COUNTED(name,                                                                               \
          (const void* data, int number, MPI_Datatype type, int rank, int tag, MPI_Comm comm, \
           MPI_Request* request),                                                             \
          (data, number, type, rank, tag, comm, request), bytes_of(number, type))
SENT(Send)
SENT(Ssend)
SENT(Bsend)
SENT(Rsend)
SENT_LATER(Isend)
SENT_LATER(Issend)
SENT_LATER(Irsend)
SENT_LATER(Send_init)
COUNTED(Recv,
        (void* data, int number, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
         MPI_Status* status),
        (data, number, type, rank, tag, comm, status), bytes_of(number, type))
COUNTED(Irecv,
        (void* data, int number, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
         MPI_Request* request),
        (data, number, type, rank, tag, comm, request), bytes_of(number, type))
COUNTED(Sendrecv,
        (const void* sent, int number, MPI_Datatype type, int to, int tag, void* received, int most,
         MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm, MPI_Status* status),
        (sent, number, type, to, tag, received, most, received_type, from, received_tag, comm,
         status),
        bytes_of(number, type))

// Of all ranks.
COUNTED(Barrier, (MPI_Comm comm), (comm), 0)
COUNTED(Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request), 0)
COUNTED(Bcast, (void* data, int number, MPI_Datatype type, int root, MPI_Comm comm),
        (data, number, type, root, comm), bytes_of(number, type))
COUNTED(Ibcast,
        (void* data, int number, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
        (data, number, type, root, comm, request), bytes_of(number, type))
#define REDUCED(name)                                                                    \
  COUNTED(name,                                                                          \
          (const void* mine, void* all, int number, MPI_Datatype type, MPI_Op operation, \
           MPI_Comm comm),                                                               \
          (mine, all, number, type, operation, comm), bytes_of(number, type))
#define REDUCED_LATER(name)                                                              \
  COUNTED(name,                                                                          \
          (const void* mine, void* all, int number, MPI_Datatype type, MPI_Op operation, \
           MPI_Comm comm, MPI_Request* request),                                         \
          (mine, all, number, type, operation, comm, request), bytes_of(number, type))
REDUCED(Allreduce)
REDUCED(Scan)
REDUCED(Exscan)
REDUCED_LATER(Iallreduce)
REDUCED_LATER(Iscan)
REDUCED_LATER(Iexscan)
COUNTED(Reduce,
        (const void* mine, void* all, int number, MPI_Datatype type, MPI_Op operation, int root,
         MPI_Comm comm),
        (mine, all, number, type, operation, root, comm), bytes_of(number, type))
COUNTED(Reduce_scatter_block,
        (const void* mine, void* part, int number, MPI_Datatype type, MPI_Op operation,
         MPI_Comm comm),
        (mine, part, number, type, operation, comm), bytes_of(number, type) * ranks_of(comm))
COUNTED(Reduce_scatter,
        (const void* mine, void* part, const int* numbers, MPI_Datatype type, MPI_Op operation,
         MPI_Comm comm),
        (mine, part, numbers, type, operation, comm),
        bytes_of(sum_of(numbers, ranks_of(comm)), type))
#define GATHERED(name, parameters, arguments, ranks)                                              \
  COUNTED(name,                                                                                   \
          (const void* mine, int number, MPI_Datatype type, void* all, int each, MPI_Datatype of, \
           parameters),                                                                           \
          (mine, number, type, all, each, of, arguments),                                         \
          larger(bytes_of(number, type), (ranks) == 0 ? 0 : bytes_of(each, of) * (ranks)))
#define TWO(a, b) a, b
GATHERED(Allgather, MPI_Comm comm, comm, ranks_of(comm))
GATHERED(Iallgather, TWO(MPI_Comm comm, MPI_Request* request), TWO(comm, request), ranks_of(comm))
GATHERED(Alltoall, MPI_Comm comm, comm, ranks_of(comm))
GATHERED(Gather, TWO(int root, MPI_Comm comm), TWO(root, comm), receiving_ranks_of(comm, root))
COUNTED(Scatter,
        (const void* all, int each, MPI_Datatype of, void* mine, int number, MPI_Datatype type,
         int root, MPI_Comm comm),
        (all, each, of, mine, number, type, root, comm),
        larger(bytes_of(number, type),
               receiving_ranks_of(comm, root) == 0 ? 0 : bytes_of(each, of) * ranks_of(comm)))
COUNTED(Allgatherv,
        (const void* mine, int number, MPI_Datatype type, void* all, const int* numbers,
         const int* places, MPI_Datatype of, MPI_Comm comm),
        (mine, number, type, all, numbers, places, of, comm),
        bytes_of(sum_of(numbers, ranks_of(comm)), of))
COUNTED(Gatherv,
        (const void* mine, int number, MPI_Datatype type, void* all, const int* numbers,
         const int* places, MPI_Datatype of, int root, MPI_Comm comm),
        (mine, number, type, all, numbers, places, of, root, comm),
        larger(bytes_of(number, type), receiving_ranks_of(comm, root) == 0
                                           ? 0
                                           : bytes_of(sum_of(numbers, ranks_of(comm)), of)))
COUNTED(Alltoallv,
        (const void* mine, const int* numbers, const int* places, MPI_Datatype type, void* all,
         const int* received, const int* received_places, MPI_Datatype of, MPI_Comm comm),
        (mine, numbers, places, type, all, received, received_places, of, comm),
        larger(bytes_of(sum_of(numbers, ranks_of(comm)), type),
               bytes_of(sum_of(received, ranks_of(comm)), of)))

// Communicators: each takes memory on every rank, and a few messages.
COUNTED(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made), 0)
COUNTED(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made),
        0)
COUNTED(Comm_split_type, (MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm* made),
        (comm, kind, key, info, made), 0)
COUNTED(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made), 0)
COUNTED(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made),
        (comm, group, tag, made), 0)

// Files; those whose names end with "_all", and those that have no data, are of all ranks.
COUNTED(File_open, (MPI_Comm comm, const char* path, int mode, MPI_Info info, MPI_File* file),
        (comm, path, mode, info, file), 0)
COUNTED(File_close, (MPI_File * file), (file), 0)
COUNTED(File_set_size, (MPI_File file, MPI_Offset size), (file, size), 0)
COUNTED(File_sync, (MPI_File file), (file), 0)
COUNTED(File_set_view,
        (MPI_File file, MPI_Offset first, MPI_Datatype type, MPI_Datatype all, const char* form,
         MPI_Info info),
        (file, first, type, all, form, info), 0)
#define READ(name)                                                                     \
  COUNTED(name,                                                                        \
          (MPI_File file, MPI_Offset place, void* data, int number, MPI_Datatype type, \
           MPI_Status* status),                                                        \
          (file, place, data, number, type, status), bytes_of(number, type))
#define WRITTEN(name)                                                                        \
  COUNTED(name,                                                                              \
          (MPI_File file, MPI_Offset place, const void* data, int number, MPI_Datatype type, \
           MPI_Status* status),                                                              \
          (file, place, data, number, type, status), bytes_of(number, type))
READ(File_read_at)
READ(File_read_at_all)
WRITTEN(File_write_at)
WRITTEN(File_write_at_all)

// Memory that ranks share, and one-sided messages.
COUNTED(Win_create,
        (void* data, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* window),
        (data, size, unit, info, comm, window), size)
COUNTED(Win_allocate,
        (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* data, MPI_Win* window),
        (size, unit, info, comm, data, window), size)
COUNTED(Win_allocate_shared,
        (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* data, MPI_Win* window),
        (size, unit, info, comm, data, window), size)
COUNTED(Win_fence, (int assertion, MPI_Win window), (assertion, window), 0)
COUNTED(Win_lock, (int kind, int rank, int assertion, MPI_Win window),
        (kind, rank, assertion, window), 0)
#define PUT(name)                                                                                \
  COUNTED(name,                                                                                  \
          (const void* data, int number, MPI_Datatype type, int rank, MPI_Aint place, int there, \
           MPI_Datatype of, MPI_Win window),                                                     \
          (data, number, type, rank, place, there, of, window), bytes_of(number, type))
PUT(Put)
COUNTED(Get,
        (void* data, int number, MPI_Datatype type, int rank, MPI_Aint place, int there,
         MPI_Datatype of, MPI_Win window),
        (data, number, type, rank, place, there, of, window), bytes_of(number, type))
COUNTED(Accumulate,
        (const void* data, int number, MPI_Datatype type, int rank, MPI_Aint place, int there,
         MPI_Datatype of, MPI_Op operation, MPI_Win window),
        (data, number, type, rank, place, there, of, operation, window), bytes_of(number, type))
