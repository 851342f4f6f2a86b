"""The HTML of a fitted model shows what was selected."""

import numpy as np
from sklearn import config_context

from infimum import PartialClassifier
from infimum.weights import KernelRidge

X = np.linspace(0, 1, 24)[:, None]
Y = ["low<1|high"] * 4 + ["low<1"] * 8 + ["high"] * 12


def test_html_of_a_fitted_model_names_the_selected_parts():
    model = PartialClassifier(weights="kernel").fit(X, Y)
    bundle = model._repr_mimebundle_()
    html = bundle["text/html"]
    assert html.split("Selected model")[1] == model._repr_html_().split("Selected model")[1]
    assert f"Selected model: weights=kernel, scaling={model.selection_.best_params['scaling']}" in html
    assert "<table" in html.split("Selected model", 1)[1]
    assert "low<1" not in html.split("Selected model", 1)[1]  # names of the user are escaped
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")


def test_html_without_selection_is_that_of_scikit_learn():
    for model in (PartialClassifier(), PartialClassifier.paper(weights=KernelRidge()).fit(X, Y)):
        assert "Selected model" not in model._repr_html_()
