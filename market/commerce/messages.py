"""The twelve texts of business inquiries, three a persona: each names what it asks and carries its tone."""

from __future__ import annotations

from typing import Final

from market.commerce.exogenous import Inquiry
from market.commerce.parameters import COUNTRIES, SKU_IDS

# By message number; the persona is the number modulo four: bargain hunter, quality seeker, urgent, formal.
TEXTS: Final = (
    "Hi, I buy for a discount chain and compare a dozen sellers today. {units} x {sku} to {country}. What is your"
    " very best price? And tell me the quality score of what you have in stock, nothing fancy.",
    "Hello, our customers send back anything that is not well made. We need {units} units of {sku} in {country}:"
    " please state the quality of your stock, and whether you hold the import permit.",
    "Our shelves are EMPTY. {units} x {sku} to {country}, as fast as it can possibly go! What is the standard"
    " freight per unit on this route?",
    "Dear Sir or Madam, we request a quotation for {units} units of {sku}, delivered duty paid {country}. Kindly"
    " confirm your permit status and the applicable rate of duty.",
    "Looking for a steal: {units} x {sku}, delivered to {country}. Every cent counts here, so break it down for me:"
    " freight per unit and the duty rate?",
    "We are choosing a long-term source of {sku} and taste comes first. For {units} units to {country}, what is the"
    " measured quality of your goods?",
    "A client is waiting and the clock is running: {units} x {sku} to {country}. Freight per unit, please, and is"
    " your permit in order so that nothing is held up at the border?",
    "To whom it may concern: our procurement department seeks {units} units of {sku} for {country}. Please declare"
    " whether the permit required for import is held.",
    "Cheap and simple: {units} x {sku} to {country}. What duty rate should I reckon with? If you are dear I am gone.",
    "We were let down by poor goods before. {units} units of {sku}, {country}. Please give the quality score of your"
    " stock and the freight per unit; good things may cost something.",
    "Need {units} x {sku} in {country} before the weekend, no time for long letters: quality of the stock and freight"
    " per unit, today please.",
    "Dear supplier, for our tender file on {units} units of {sku} destined for {country} we require your permit"
    " status, the duty rate and the quality of the goods, each in writing.",
)


def message_text(inquiry: Inquiry) -> str:
    """Return the words in which a buyer asks."""
    return TEXTS[inquiry.message].format(
        units=inquiry.units, sku=SKU_IDS[inquiry.sku], country=COUNTRIES[inquiry.country]
    )
