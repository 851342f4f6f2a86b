"""Families of weights: kernel ridge, Nyström, linear ridge, forest, neighbours and neighbour graph."""
