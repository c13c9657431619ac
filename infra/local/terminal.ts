import type { WriteStream } from 'node:tty'
import { createLogUpdate } from 'log-update'
import picocolors from 'picocolors'

const redrawEveryMs = 250
const columnsDefault = 80

export type LiveView = {
  /** A line that stays, above the view. */
  print(line: string): void
  /** Draws once more and leaves the view as it is. */
  end(): void
}

/** Draws a view again and again in its place. `NO_COLOR` is honoured. */
export const startLiveView = (
  out: WriteStream,
  render: (to: { columns: number; colors: typeof picocolors }) => string,
): LiveView => {
  const draw = createLogUpdate(out)
  const redraw = (): void => draw(render({ columns: out.columns ?? columnsDefault, colors: picocolors }))
  redraw()
  const timer = setInterval(redraw, redrawEveryMs)
  return {
    print: line => draw.persist(line),
    end: () => {
      clearInterval(timer)
      redraw()
      draw.done()
    },
  }
}

/** Whether a live view can be drawn there. */
export const isLive = (
  out: { isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean => out.isTTY === true && env['TERM'] !== 'dumb'
