"""The limits of a step, and changes to try, as options of the framework in use."""
