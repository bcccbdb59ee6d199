// Text of comma-separated values, as spreadsheets read it (RFC 4180).

/** csv is the text of a table. It begins with the mark by which spreadsheets know UTF-8. */
export function csv(rows: readonly (readonly string[])[]): string {
  return "\uFEFF" + rows.map((row) => row.map(cell).join(",") + "\r\n").join("");
}

/** cell quotes a value. What a spreadsheet would take for a formula gets an apostrophe. */
function cell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
