import * as Plot from '@observablehq/plot'
import {
  DOT,
  drawPlot,
  fitName,
  frameOptions,
  type LegendEntry,
  leftMargin,
  legend,
  legendLines,
  type PlotElement,
  RING,
  ROW_HEIGHT,
} from './plot-parts.ts'

/** A number on a row, with its interval where there is one. */
export interface Dot {
  readonly name: string
  readonly value: number
  readonly limits: readonly [number, number] | null
}

export interface Series {
  readonly word: string
  readonly symbol: 'dot' | 'ring'
  readonly dots: readonly Dot[]
}

export interface IntervalPlot {
  readonly title: string
  readonly axis: string
  /** Rows from the top, also those without a number. */
  readonly names: readonly string[]
  readonly series: readonly Series[]
  readonly domain: readonly [number, number]
  /** Differences: signs on the axis, and a line at zero. */
  readonly signed?: boolean
}

/** One row a name, one mark a series, the 95% interval as a line through it. */
export function drawIntervals(plot: IntervalPlot, width: number): PlotElement {
  const { names, series } = plot
  const entries: readonly LegendEntry[] = series.length > 1 ? series.map(({ word, symbol }) => ({ word, symbol })) : []
  const marginTop = entries.length === 0 ? 10 : 14 + 18 * legendLines(entries, width)
  const marginLeft = leftMargin(names, width)
  const narrow = width - marginLeft < 320
  return drawPlot({
    ...frameOptions(width, plot.title),
    height: marginTop + 44 + names.length * ROW_HEIGHT,
    marginTop,
    marginLeft,
    marginRight: 24,
    marginBottom: 38,
    x: {
      domain: [...plot.domain],
      label: plot.axis,
      grid: true,
      tickFormat: plot.signed === true ? formatSigned : '.0%',
      ticks: narrow ? 3 : 6,
    },
    y: { domain: [...names], label: null, type: 'band', tickFormat: (name: string) => fitName(name, marginLeft) },
    marks: [
      ...(plot.signed === true ? [Plot.ruleX([0], { stroke: 'var(--ink)', strokeWidth: 1 })] : []),
      legend(entries, width),
      ...series.flatMap(({ symbol, dots }, index) => {
        const dy = series.length === 1 ? 0 : index === 0 ? -6 : 6
        const look = symbol === 'dot' ? DOT : RING
        const ends = dots.flatMap(({ name, limits }) =>
          limits === null ? [] : [{ name, low: limits[0], high: limits[1] }],
        )
        return [
          Plot.link(ends, { y: 'name', x1: 'low', x2: 'high', dy, stroke: look.stroke, strokeWidth: 1.75 }),
          Plot.dot([...dots], { y: 'name', x: 'value', dy, ...look }),
        ]
      }),
    ],
  })
}

const formatSigned = (value: number): string => {
  const percent = Math.round(100 * Math.abs(value))
  return `${percent === 0 ? '' : value > 0 ? '+' : '−'}${percent}%`
}
