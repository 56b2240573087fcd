"""Reports, cycles, identification and scaling from the HDF5 files of masing."""
