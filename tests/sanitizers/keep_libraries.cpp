// Open MPI unloads its plug-ins when it is finalised; a leak found later would then have no name
// that a suppression could match. Visible, as other symbols are not. Linked into every executable
// of the preset `asan`.

extern "C" __attribute__((visibility("default"))) int dlclose(void* /*library*/) {
  return 0;
}
