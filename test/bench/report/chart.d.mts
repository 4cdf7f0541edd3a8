/** Returns the picture of docs/benchmarks.svg for the text of docs/benchmarks.md. */
export function drawChart(page: string): string;
