// A source for the library that holds the precompiled headers of all tests.
