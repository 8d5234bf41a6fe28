// Keeps the MPI library's plug-ins loaded to the end: the sanitizers must still know them then.
// What these have not given back would otherwise have no name that a suppression could give.

extern "C" int dlclose(void*) {
  return 0;
}
