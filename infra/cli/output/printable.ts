/** Characters that a terminal may act on: controls, direction marks, line and paragraph ends. */
const harmful = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** A text of the mail's sender or recipient, safe to show on a terminal. */
export const printable = (text: string): string => text.replace(/[\t\r\n]+/g, ' ').replace(harmful, '?')
