// Only for what is precompiled beside it: what all programs of the tests include.
int main() {}
