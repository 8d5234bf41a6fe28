/* Nothing can be loaded before it. */

int main(void) {
  return 0;
}
