// This library counts the calls that a process makes of MPI, and their bytes, and writes the counts
// as the process ends. It is loaded before a program that is linked with MPI (LD_PRELOAD).
// $MASING_COUNTS names the folder where each rank writes a file, named by its rank, with a line
// "function calls bytes" for each function that it has called, and lines "VmHWM 1 bytes" and
// "RssAnon 1 bytes" of its memory at most and at the end. What MPI calls itself within a call is
// not counted. The functions that are counted are in counted.h, which count_messages.py makes of
// mpi.h.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Counter {
  const char* name;
  long long calls;
  long long bytes;
  struct Counter* next;  // the counter of another function that has been called
};

static struct Counter* counters = NULL;

static void add_call(struct Counter* counter, const char* name, long long bytes) {
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

static long long ranks_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

// The ranks of a communicator on its root; 0 on the others.
static long long ranks_at(MPI_Comm comm, int root) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == root ? ranks_of(comm) : 0;
}

static long long sum_of(const int* numbers, long long ranks) {
  long long sum = 0;
  for (long long i = 0; i < ranks; ++i) {
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
    add_call(&counter, #name, bytes);               \
    return PMPI_##name arguments;                   \
  }

#include "counted.h"
