/** Some while before midnight: most runs cross from one day of the log into the next. */
export const startMs = Date.UTC(2026, 10, 20, 22, 40)
