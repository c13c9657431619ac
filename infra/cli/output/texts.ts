/** `1 event`, `2 events`, `1,000 events`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`

export const none = '-'

/** Stands for a value that may be a secret. */
export const masked = '***'
