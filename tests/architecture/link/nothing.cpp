// Asks nothing of the archive it is linked with: that the link succeeds is the test.
int main() {}
