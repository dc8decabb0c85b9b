import * as Plot from '@observablehq/plot'
import { DOT, drawPlot, frameOptions, type PlotElement } from './plot-parts.ts'

export interface ScatterPoint {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly xLimits: readonly [number, number] | null
  readonly yLimits: readonly [number, number] | null
}

/** Two shares against each other, each point named, both intervals drawn. */
export function drawScatter(points: readonly ScatterPoint[], xName: string, width: number): PlotElement {
  const side = Math.min(width, 560)
  const along = points.flatMap(({ xLimits, y }) => (xLimits === null ? [] : [{ y, from: xLimits[0], to: xLimits[1] }]))
  const up = points.flatMap(({ yLimits, x }) => (yLimits === null ? [] : [{ x, from: yLimits[0], to: yLimits[1] }]))
  const bars = { stroke: 'var(--ink-soft)', strokeWidth: 1.25 }
  return drawPlot({
    ...frameOptions(width, `T against ${xName}`),
    height: side * 0.8,
    marginLeft: 56,
    marginRight: 24,
    marginBottom: 42,
    marginTop: 26,
    x: { domain: [0, 1], label: `${xName} →`, tickFormat: '.0%', grid: true, ticks: width < 420 ? 3 : 6 },
    y: { domain: [0, 1], label: '↑ T = C × R', tickFormat: '.0%', grid: true },
    marks: [
      Plot.ruleY(along, { y: 'y', x1: 'from', x2: 'to', ...bars }),
      Plot.ruleX(up, { x: 'x', y1: 'from', y2: 'to', ...bars }),
      Plot.dot([...points], { x: 'x', y: 'y', ...DOT }),
      ...(['start', 'end'] as const).map((textAnchor) =>
        Plot.text(
          points.filter(({ x }) => x > 0.6 === (textAnchor === 'end')),
          {
            x: 'x',
            y: 'y',
            text: 'name',
            dy: -11,
            textAnchor,
            fill: 'var(--ink)',
            stroke: 'var(--raised)',
            strokeWidth: 4,
          },
        ),
      ),
    ],
  })
}
