"""Which framework trained, how it laid its work out and which model it was: from the framework's own objects, while they live."""
