"""What `merchant@1` adds to the report: the paper's Table 1, anomalies, fines, months and portfolio alignment."""

from __future__ import annotations

from typing import Final

from market.merchant import report_charts, report_tables
from tournament.report_parts import ReportPart

TABLE_ONE: Final = "Stores"
ORDERS: Final = "Orders, anomalies and fines"
MONTHS: Final = "Month by month"
_NO_WORLD: Final = "no world has finished"
_NO_ORDERS: Final = "no finished world keeps a table of orders"
_NO_FINES: Final = "no finished world tells fines apart by kind"
_NO_DAILY: Final = "no finished world keeps a daily table"

PARTS: Final = (
    ReportPart(
        name="table-one",
        section=TABLE_ONE,
        title="Business performance, store reliability and long-horizon activity",
        caption="The MerchantBench paper's Table 1 for the contestants of this study.",
        needs=_NO_WORLD,
        place="index",
        shape="table",
        build=report_tables.table_one,
    ),
    ReportPart(
        name="anomalies",
        section=ORDERS,
        title="Buyers whose order did not go well",
        caption="Shares of all buyers of a contestant's stores: orders, stockouts and those whom lack of cash turned"
        " away.",
        needs="no finished world keeps orders with an anomaly",
        place="index",
        shape="chart",
        build=report_charts.anomalies,
    ),
    ReportPart(
        name="order-fates",
        section=ORDERS,
        title="What became of buyers",
        caption="Means over a contestant's stores.",
        needs=_NO_ORDERS,
        place="index",
        shape="table",
        build=report_tables.order_fates,
    ),
    ReportPart(
        name="fines-chart",
        section=ORDERS,
        title="Fines by kind",
        caption="Means over a contestant's stores.",
        needs="no finished world tells of a fine by kind",
        place="index",
        shape="chart",
        build=report_charts.fines,
    ),
    ReportPart(
        name="fines",
        section=ORDERS,
        title="Fines by kind",
        caption="Means over a contestant's stores.",
        needs=_NO_FINES,
        place="index",
        shape="table",
        build=report_tables.fines,
    ),
    ReportPart(
        name="activity",
        section=MONTHS,
        title="Activity and net profit by month",
        caption="The paper's Figure 5: means over a contestant's stores. A window is effective when its seat was"
        " active in it, as under SWR; tool calls are a model's.",
        needs=_NO_DAILY,
        place="index",
        shape="chart",
        build=report_charts.activity,
    ),
    ReportPart(
        name="sales",
        section=MONTHS,
        title="Sales and margin by month",
        caption="GMV: mean over a contestant's stores; margin: their net profit over their GMV.",
        needs=_NO_DAILY,
        place="index",
        shape="chart",
        build=report_charts.sales,
    ),
    ReportPart(
        name="alignment",
        section=MONTHS,
        title="Portfolio alignment by month",
        caption="The paper's Figure 6: how much wanted what is listed is. Over listed product-hours, the mean percentile"
        " of the product's latent demand among available products that day; bands: a standard deviation over stores.",
        needs="no finished world keeps a table of alignment",
        place="index",
        shape="chart",
        build=report_charts.alignment,
    ),
    ReportPart(
        name="months",
        section=MONTHS,
        title="Months",
        caption="",
        needs=_NO_DAILY,
        place="index",
        shape="table",
        build=report_tables.months,
    ),
    ReportPart(
        name="world-order-fates",
        section=ORDERS,
        title="What became of buyers",
        caption="",
        needs="the world keeps no table of orders",
        place="world",
        shape="table",
        build=report_tables.world_order_fates,
    ),
    ReportPart(
        name="world-fines",
        section=ORDERS,
        title="Fines by kind",
        caption="",
        needs="the world does not tell fines apart by kind",
        place="world",
        shape="table",
        build=report_tables.world_fines,
    ),
    ReportPart(
        name="contestant-stores",
        section=TABLE_ONE,
        title="Store by store",
        caption="",
        needs=_NO_WORLD,
        place="contestant",
        shape="table",
        build=report_tables.stores_of,
    ),
)
