"""Callbacks of scikit-learn (1.9 and later): one task for the fit, and one for each candidate of the search."""

from __future__ import annotations

from typing import Any, Self

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """The same methods without callbacks."""

        def set_callbacks(self, *callbacks: Any) -> Any:
            """Raise an error: callbacks require a later version of scikit-learn."""
            raise AttributeError("Callbacks require scikit-learn 1.9. Update with: pip install -U scikit-learn")

        def _init_callback_context(self, **settings: Any) -> None:
            return None

    def with_callbacks(method: Any) -> Any:
        return method


class CallbackMixin(CallbackSupportMixin):
    """Call the callbacks of `set_callbacks` when a fit begins and ends, and after each candidate of the search.

    The task of a candidate is called "candidate". Its metadata contain the entry "result": the parameters and scores of
    the candidate, an `infimum.selection.Result`. If a callback returns True, the search ends and the best candidate so
    far is fitted.
    """

    @with_callbacks
    def _fit_with_callbacks(self, X: Any, y: Any, *others: Any) -> None:
        context = self._init_callback_context(max_subtasks=None)
        if context is not None:
            context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        self._fit(X, y, *others)
        if context is not None:
            context.call_on_fit_task_end(estimator=self, X=X, y=y)

    def _fit_at_once(self, *data: Any) -> Self:
        """Fit a copy and take over its state, so a fit that fails or is interrupted leaves the model as it was."""
        new = self._unfitted_copy()
        new._fit_with_callbacks(*data)
        self.__dict__ = dict(vars(new))
        return self

    def _unfitted_copy(self) -> Self:
        """Return a model with the same parameters that is not fitted."""
        new = self.__class__.__new__(self.__class__)
        new.__dict__ = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        return new

    def _on_candidate(self, result: Any) -> bool:
        """Call the callbacks about one candidate; return whether the search is to end."""
        context = vars(self).get("_callback_fit_ctx")
        if context is None:
            return False
        task, metadata = context.subcontext(task_name="candidate"), {"result": result}
        task.call_on_fit_task_begin(estimator=self, metadata=metadata)
        return bool(task.call_on_fit_task_end(estimator=self, metadata=metadata))
