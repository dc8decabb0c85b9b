import * as Plot from '@observablehq/plot'
import { DOT, drawPlot, fitName, frameOptions, leftMargin, type PlotElement, ROW_HEIGHT } from './plot-parts.ts'

/** A difference on a row, with its interval where it has one. */
export interface Dot {
  readonly name: string
  readonly value: number
  readonly limits: readonly [number, number] | null
}

/** Draws differences, a row a name: a dot on the 95% interval, and a line at zero. */
export function drawDifferences(names: readonly string[], dots: readonly Dot[], width: number): PlotElement {
  const far = Math.max(0.1, ...dots.flatMap(({ value, limits }) => [value, ...(limits ?? [])].map(Math.abs)))
  const reach = Math.min(1, Math.ceil(far * 10) / 10)
  const marginLeft = leftMargin(names, width)
  const ends = dots.flatMap(({ name, limits }) => (limits === null ? [] : [{ name, low: limits[0], high: limits[1] }]))
  return drawPlot({
    ...frameOptions(width, 'Paired differences'),
    height: 54 + names.length * ROW_HEIGHT,
    ...{ marginTop: 10, marginLeft, marginRight: 24, marginBottom: 38 },
    x: {
      domain: [-reach, reach],
      label: 'head minus base',
      grid: true,
      tickFormat: formatSigned,
      ticks: width - marginLeft < 320 ? 3 : 6,
    },
    y: { domain: [...names], label: null, type: 'band', tickFormat: (name: string) => fitName(name, marginLeft) },
    marks: [
      Plot.ruleX([0], { stroke: 'var(--ink)', strokeWidth: 1 }),
      Plot.link(ends, { y: 'name', x1: 'low', x2: 'high', stroke: DOT.stroke, strokeWidth: 1.75 }),
      Plot.dot([...dots], { y: 'name', x: 'value', ...DOT }),
    ],
  })
}

const formatSigned = (value: number): string => {
  const percent = Math.round(100 * Math.abs(value))
  return `${percent === 0 ? '' : value > 0 ? '+' : '−'}${percent}%`
}
