"""Parameters and attributes that the docstrings of several estimators share."""

from ..data.shared_docs import SharedDocs

MODEL = SharedDocs("""
principle : str, Principle or Disambiguation, default "auto"
    How a set of possible outputs is turned into a loss. "infimum", "average" and "supremum" use the loss to the
    best, mean and worst member. "disambiguation" estimates the label of each row first (`labels_`). "auto" selects
    one of them by cross-validation.
negative_weights : {"auto", "inside", "joint"}, default "auto"
    How set losses are combined if a weight is negative, as some weights of kernel ridge and linear ridge are:
    sum_i alpha_i inf_y l(z, y) ("inside"), or inf over (y_i) of sum_i alpha_i l(z, y_i) ("joint"). "auto" selects
    one of them by cross-validation. It rarely has to be set.
weights : {"auto", "kernel", "nystrom", "linear", "logistic", "neighbors", "forest", "boosting", "laplacian"} or Weights
    The base learner, which determines how much each training row counts at x; "auto" by default. With the name of a
    family, features are scaled and hyperparameters are selected within the family. A `Weights` object is used exactly
    as given.
    "auto" compares the families by cross-validation on the partial labels.
solver : "auto" or Solver, default "auto"
    How the minimum over outputs is computed. "auto" takes the first solver that supports the loss. Set another one
    for a different compromise between speed and optimality.
probabilities : {None, "temperature"}, default None
    Calibration of `predict_proba`. "temperature" fits a temperature to held-out training rows. None does the same
    if the principle is "auto" or "disambiguation"; for other principles, `predict_proba` is then not available.
max_search_time : float, optional
    Time limit of the model selection in seconds. When it is over, the best candidate so far is fitted, with a
    warning. There is no limit by default.
n_jobs : int, optional
    The number of threads. By default, that of BLAS for model selection, and one for predictions.
random_state : int, default 0
    Seed of forests and of Nyström centres.
verbose : int, default 0
    If 1, a progress bar is shown.
search_config : SearchConfig, optional
    Constants of the model selection, such as numbers of rows and folds; see
    :class:`infimum.selection.SearchConfig`.
selection_ : SelectionResult or None
    The candidates of the model selection with their scores, the selected one first. None if nothing was "auto".
labels_ : (n, ...)
    The most likely member of the set of each training row. Like the following attributes up to `noise_`, it is
    available after disambiguation, which the default mostly selects.
confidence_ : (n,) or None
    The probabilities of `labels_`; None if they are not defined.
suspects_ : (k,)
    Row numbers of likely label errors: rows whose set probably does not contain the true output.
tied_ : (k,)
    Row numbers of rows with two almost equally likely members.
label_errors_ : (n,)
    All row numbers, the most likely label error first.
noise_ : Noise
    The estimated share of sets that do not contain the true output.
n_features_in_ : int
    The number of columns of X.
output_, weights_, solver_, recipe_
    The fitted output space, base learner and solver, and the recipe that combines them.
sets_ : Sets
    The parsed training labels, for `explain`. Not stored for chunked data.
""")
