// A library with one function, which is called NAME.
int NAME(int value);
int NAME(int value) { return value + 1; }
