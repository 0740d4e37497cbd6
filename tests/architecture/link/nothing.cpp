// References nothing in the archive it is linked with: the test is that the link succeeds.
int main() {}
