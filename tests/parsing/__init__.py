"""One reader of y: the form is settled once, names bind, types are kept, what is ambiguous is refused."""
