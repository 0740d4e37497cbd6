"""Recognises the framework that trains, its layout and its model, from the framework's own live objects."""
