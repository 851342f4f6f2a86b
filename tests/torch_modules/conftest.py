"""Small nets and small batches: one thread is fastest, and does not wait for others on a machine that is busy."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
