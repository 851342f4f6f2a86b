"""Checks of partially labelled data: can the sets separate the outputs, and which rows need a second look?"""
