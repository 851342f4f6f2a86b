"""Predictions for rows that are held out."""
