/* Prints a table of a result file of masing as CSV, by HDF5 alone: each column's meaning in a line
   that begins with #, their names, their rows with every digit.

       ./read_result RUN.h5 [GROUP]      GROUP: series (default), energy, …

       h5cc read_result.c -o read_result      (h5pcc where HDF5 is the parallel one) */

#define _POSIX_C_SOURCE 200809L
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_columns = 64 };

struct table {
  size_t columns;
  hsize_t rows;
  char* names[most_columns];
  double* values[most_columns];
};

/* The text of an attribute, "" where there is none; to be freed. Files have texts of variable
   length; those of fixed length are read, too. */
static char* text_of(hid_t object, const char* name) {
  char* text = NULL;
  if (H5Aexists(object, name) > 0) {
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) {
      char* found = NULL;
      const hid_t memory = H5Tcopy(H5T_C_S1);
      H5Tset_size(memory, H5T_VARIABLE);
      H5Tset_cset(memory, H5Tget_cset(type));
      if (H5Aread(attribute, memory, &found) >= 0 && found != NULL) {
        text = strdup(found);
        H5free_memory(found);
      }
      H5Tclose(memory);
    } else if (H5Tget_class(type) == H5T_STRING) {
      text = calloc(H5Tget_size(type) + 1, 1);
      H5Aread(attribute, type, text);
    }
    H5Tclose(type);
    H5Aclose(attribute);
  }
  return text != NULL ? text : strdup("");
}

/* Takes in a dataset of one axis of numbers that is as long as those before it. */
static void add_column(hid_t group, const char* name, struct table* table) {
  const hid_t dataset = H5Dopen(group, name, H5P_DEFAULT);
  if (dataset < 0) {
    return;
  }
  const hid_t space = H5Dget_space(dataset);
  const hid_t type = H5Dget_type(dataset);
  const hsize_t rows = (hsize_t)H5Sget_simple_extent_npoints(space);
  const int is_column = H5Sget_simple_extent_ndims(space) == 1 && H5Tget_class(type) == H5T_FLOAT &&
                        (table->columns == 0 || rows == table->rows);
  if (is_column) {
    double* values = malloc((rows + 1) * sizeof *values);
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
      char* symbol = text_of(dataset, "symbol");
      char* units = text_of(dataset, "units");
      char* long_name = text_of(dataset, "long_name");
      char* description = text_of(dataset, "description");
      printf("# %s: %s; symbol %s, units %s%s%s\n", name, description, symbol, units,
             *long_name ? ", long name " : "", long_name);
      free(symbol);
      free(units);
      free(long_name);
      free(description);
      table->names[table->columns] = strdup(name);
      table->values[table->columns] = values;
      table->rows = rows;
      ++table->columns;
    } else {
      free(values);
    }
  }
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(dataset);
}

int main(int count, char** words) {
  const char* name = count > 2 ? words[2] : "series";
  if (count < 2 || count > 3) {
    fprintf(stderr, "read_result takes RUN.h5 [GROUP]\n");
    return 2;
  }
  H5Eset_auto(H5E_DEFAULT, NULL, NULL); /* one line of ours in place of HDF5's stack */
  const hid_t file = H5Fopen(words[1], H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    fprintf(stderr, "read_result: %s is no HDF5 file that can be read\n", words[1]);
    return 2;
  }
  const hid_t group = H5Gopen(file, name, H5P_DEFAULT);
  struct table table = {0};
  if (group >= 0) {
    char member[256];
    for (hsize_t i = 0; table.columns < most_columns; ++i) {
      if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, member, sizeof member,
                             H5P_DEFAULT) < 0) {
        break;
      }
      add_column(group, member, &table);
    }
    H5Gclose(group);
  }
  H5Fclose(file);
  for (size_t j = 0; j < table.columns; ++j) {
    printf("%s%s", j ? "," : "", table.names[j]);
    free(table.names[j]);
  }
  for (hsize_t i = 0; i < table.rows; ++i) {
    for (size_t j = 0; j < table.columns; ++j) {
      printf("%s%.17g", j ? "," : "\n", table.values[j][i]);
    }
  }
  for (size_t j = 0; j < table.columns; ++j) {
    free(table.values[j]);
  }
  if (table.columns == 0) {
    fprintf(stderr, "read_result: %s has no columns in /%s\n", words[1], name);
    return 2;
  }
  printf("\n");
  return 0;
}
