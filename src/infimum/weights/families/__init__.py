"""Base learners: families of weights alpha(x)."""
