"""An experiment of six small tasks, for the tests of the runner."""

import time

import numpy as np

from infimum.paper import style
from infimum.paper.base import Experiment, row


class Slow(Experiment):
    """Six tasks, each of which leaves a mark in the file `data` when it is computed."""

    name = "slow"
    title = "Slow"
    place = "nowhere"
    caption = "Six tasks."

    def tasks(self, quick):
        return [{"k": k} for k in range(6)]

    def run(self, task, data):
        time.sleep(0.03)
        if data is not None:
            with open(data, "a") as marks:
                marks.write(f"{task['k']} ")
        value = np.random.default_rng(task["k"]).standard_normal()
        return [row("m", task["k"], value, seed=task["k"]), row("m", task["k"], np.float32(value), fold=1)]

    def draw(self, frame):
        fig, axes = style.figure()
        axes[0, 0].plot(frame["parameter"], frame["value"])
        axes[0, 0].set_axis_off()  # no fonts to embed
        return fig
