"""A hostile campaign: columns, tables and parameters of every kind, with an oracle of their own."""
