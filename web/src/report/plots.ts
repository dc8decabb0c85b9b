import * as Plot from '@observablehq/plot'
import { formatNumber } from '../numbers.tsx'
import type { LabelLook } from '../rubrics.ts'
import type { ReportGroup } from '../types.ts'
import { spaced } from '../words.ts'
import { groupLabels } from './groups.tsx'

/** Sizes of all plots. Plots name colours of `styles/base.css`; fills differ without colour, too. */
const ROW_HEIGHT = 34
const CHAR_WIDTH = 6.6
const SVG = 'http://www.w3.org/2000/svg'

/** Makes the fill of the `index`th label of a report. */
const fillOf = (plot: string, index: number): string => `url(#${plot}-${index})`

/** Draws the patterns of a plot; `plot` tells them from the patterns of other plots of the page. */
function patterns(plot: string, looks: readonly LabelLook[]): Plot.Markish {
  return () => {
    const defs = element('defs', {})
    for (const [index, look] of looks.entries()) {
      const size = { width: 8, height: 8 }
      const pattern = element('pattern', { ...size, id: `${plot}-${index}`, patternUnits: 'userSpaceOnUse' })
      pattern.append(element('rect', { ...size, fill: `var(--${look.colour})` }))
      for (const d of look.pattern.lines)
        pattern.append(element('path', { d, stroke: 'var(--raised)', 'stroke-width': 1.4, 'stroke-opacity': 0.75 }))
      defs.append(pattern)
    }
    return defs
  }
}

interface LegendEntry {
  readonly word: string
  readonly fill: string
  readonly x: number
  readonly y: number
}

/** Draws a legend inside of the picture, so that a saved picture has it. */
function legend(entries: readonly LegendEntry[]): Plot.Markish {
  return () => {
    const group = element('g', { 'text-anchor': 'start', 'font-size': 12 })
    for (const { word, fill, x, y } of entries) {
      group.append(element('rect', { x, y: y - 10, width: 14, height: 12, fill }))
      const text = element('text', { x: x + 19, y })
      text.append(word)
      group.append(text)
    }
    return group
  }
}

const DOT = { fill: 'var(--ink)', stroke: 'var(--ink)', strokeWidth: 1.5, r: 4.5 } as const

/** Places the labels of a legend in lines of a width. */
function placeLegend(plot: string, labels: readonly string[], width: number) {
  let [x, y] = [2, 14]
  const entries = labels.map((label, index): LegendEntry => {
    const word = spaced(label)
    const own = 19 + word.length * CHAR_WIDTH + 16
    if (x + own > width && x > 2) [x, y] = [2, y + 18]
    const entry = { word, fill: fillOf(plot, index), x, y }
    x += own
    return entry
  })
  return { entries, lines: 1 + (y - 14) / 18 }
}

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  return made
}

/** Computes the room for names at the left: at most 45% of the width. */
const leftMargin = (names: readonly string[], width: number): number =>
  Math.min(0.45 * width, 16 + Math.max(0, ...names.map(({ length }) => length)) * CHAR_WIDTH)

/** Cuts a name with its `(n=8 graded)` to the room; the table has the whole name. */
function fitName(name: string, margin: number): string {
  const room = Math.floor((margin - 14) / CHAR_WIDTH)
  if (name.length <= room) return name
  const tail = name.slice(Math.max(0, name.lastIndexOf(' (')))
  return tail.length + 4 > room
    ? `${name.slice(0, Math.max(1, room - 1))}…`
    : `${name.slice(0, room - tail.length - 1)}…${tail}`
}

export type PlotElement = SVGSVGElement

/**
 * Draws a plot in an unseen document, and removes the style element of Plot, which the policy of the pages refuses: styles/report.css has
 * the same rules.
 */
function drawPlot(options: Plot.PlotOptions): PlotElement {
  const unseen = document.implementation.createHTMLDocument('')
  // Plot would cut off the letters of the label that reach below the line.
  const x = { labelOffset: (options.marginBottom ?? 0) - 7, ...options.x }
  // Without title, caption or legend options Plot answers a bare SVG.
  const plot = Plot.plot({ ...options, x, className: 'veridict-plot', document: unseen }) as PlotElement
  for (const style of plot.querySelectorAll('style')) style.remove()
  // Plot names groups without a role. The picture has a single name, and its table has the rest.
  for (const group of plot.querySelectorAll('[aria-label]')) {
    group.setAttribute('class', `mark-${group.getAttribute('aria-label')?.replaceAll(' ', '-')}`)
    group.removeAttribute('aria-label')
  }
  plot.setAttribute('role', 'img')
  return plot
}

/** The least width of a segment with its number; the table has all numbers. */
const ROOM_FOR_TEXT = 40

/** Draws the shares of the labels, a bar of 100% a group; a group without a graded trial has an empty bar. */
export function drawShares(
  groups: readonly ReportGroup[],
  labels: readonly string[],
  looks: readonly LabelLook[],
  id: string,
  width: number,
): PlotElement {
  const names = groupLabels(groups, 'graded')
  const segments = groups.flatMap((group, index) => {
    let from = 0
    return labels.map((label) => {
      const share = group.shares[label]?.value ?? 0
      const segment = { name: names[index] ?? '', label, share, from, to: from + share }
      from += share
      return segment
    })
  })
  const { entries, lines } = placeLegend(id, labels, width)
  const marginTop = 12 + 18 * lines
  const marginLeft = leftMargin(names, width)
  const plotWidth = width - marginLeft - 20
  return drawPlot({
    ...{ width, ariaLabel: 'Shares of the labels by group' },
    height: marginTop + 44 + groups.length * ROW_HEIGHT,
    marginTop,
    marginLeft,
    marginRight: 20,
    marginBottom: 40,
    x: { domain: [0, 1], label: 'share of graded trials', tickFormat: '.0%', ticks: plotWidth < 300 ? 3 : 6 },
    y: { domain: names, label: null, tickFormat: (name: string) => fitName(name, marginLeft) },
    marks: [
      patterns(id, looks),
      legend(entries),
      ...labels.map((label, place) =>
        Plot.barX(
          segments.filter((segment) => segment.label === label && segment.share > 0),
          {
            y: 'name',
            x1: 'from',
            x2: 'to',
            fill: fillOf(id, place),
            stroke: 'var(--raised)',
            strokeWidth: 1,
            insetTop: 2,
            insetBottom: 2,
          },
        ),
      ),
      Plot.text(
        segments.filter(({ share }) => share * plotWidth >= ROOM_FOR_TEXT),
        {
          y: 'name',
          x: ({ from, to }: { from: number; to: number }) => (from + to) / 2,
          text: ({ share }: { share: number }) => formatNumber(share, 'percent'),
          fill: 'var(--ink)',
          stroke: 'var(--raised)',
          strokeWidth: 5,
          fontWeight: 600,
        },
      ),
    ],
  })
}

export interface ScatterPoint {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly xLimits: readonly [number, number] | null
  readonly yLimits: readonly [number, number] | null
}

/** Draws two shares against each other: named points with both intervals. */
export function drawScatter(points: readonly ScatterPoint[], xName: string, width: number): PlotElement {
  const side = Math.min(width, 560)
  const along = points.flatMap(({ xLimits, y }) => (xLimits === null ? [] : [{ y, from: xLimits[0], to: xLimits[1] }]))
  const up = points.flatMap(({ yLimits, x }) => (yLimits === null ? [] : [{ x, from: yLimits[0], to: yLimits[1] }]))
  const bars = { stroke: 'var(--ink-soft)', strokeWidth: 1.25 }
  return drawPlot({
    ...{ width, ariaLabel: `T against ${xName}` },
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

/** A difference on a row, with its interval; null: no interval. */
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
    ...{ width, ariaLabel: 'Paired differences' },
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
