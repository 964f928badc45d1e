"""The loop and the loopback provider of the routes' tests: litellm is loaded once."""

from tests.routes.conftest import call_route, provider, pytest_collection_modifyitems

__all__ = ["call_route", "provider", "pytest_collection_modifyitems"]
