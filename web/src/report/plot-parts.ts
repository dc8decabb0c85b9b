import * as Plot from '@observablehq/plot'

import type { LabelLook } from '../ui/label-look.ts'
import { labelWords } from '../words.ts'

/** What all plots share: sizes, colours by name (`styles/base.css`), fills that also differ without colour, legends. */
const CLASS = 'veridict-plot'
export const ROW_HEIGHT = 34
const CHAR_WIDTH = 6.6
const SVG = 'http://www.w3.org/2000/svg'

const patternId = (plot: string, index: number) => `${plot}-${index}`
/** Of the label that is the `index`th of the report. */
export const fillOf = (plot: string, index: number): string => `url(#${patternId(plot, index)})`

/** The patterns of one plot; `plot` keeps them apart from those of others in the page. */
export function patterns(plot: string, looks: readonly LabelLook[]): Plot.Markish {
  return () => {
    const defs = element('defs', {})
    for (const [index, look] of looks.entries()) {
      const pattern = element('pattern', {
        id: patternId(plot, index),
        width: 8,
        height: 8,
        patternUnits: 'userSpaceOnUse',
      })
      pattern.append(element('rect', { width: 8, height: 8, fill: `var(--${look.colour})` }))
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
}

export const labelLegend = (plot: string, labels: readonly string[]): readonly LegendEntry[] =>
  labels.map((label, index) => ({ word: labelWords(label), fill: fillOf(plot, index) }))

/** How many lines a legend takes at a width. */
export const legendLines = (entries: readonly LegendEntry[], width: number): number => placeLegend(entries, width).lines

/** A legend inside of the picture, so that it is there wherever the picture goes. */
export function legend(entries: readonly LegendEntry[], width: number): Plot.Markish {
  return () => {
    const group = element('g', { 'text-anchor': 'start', 'font-size': 12 })
    const { places } = placeLegend(entries, width)
    for (const [index, { word, fill }] of entries.entries()) {
      const { x, y } = places[index] ?? { x: 0, y: 0 }
      group.append(element('rect', { x, y: y - 10, width: 14, height: 12, fill }))
      const text = element('text', { x: x + 19, y })
      text.append(word)
      group.append(text)
    }
    return group
  }
}

export const DOT = { fill: 'var(--ink)', stroke: 'var(--ink)', strokeWidth: 1.5, r: 4.5 } as const

function placeLegend(entries: readonly LegendEntry[], width: number) {
  let [x, y] = [2, 14]
  const places = entries.map(({ word }) => {
    const own = 19 + word.length * CHAR_WIDTH + 16
    if (x + own > width && x > 2) [x, y] = [2, y + 18]
    const place = { x, y }
    x += own
    return place
  })
  return { places, lines: 1 + (y - 14) / 18 }
}

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  return made
}

/** Room for the names at the left: never more than 45% of the width. */
export const leftMargin = (names: readonly string[], width: number): number =>
  Math.min(0.45 * width, 16 + Math.max(0, ...names.map(({ length }) => length)) * CHAR_WIDTH)

/** A name with its `(n=8 graded)` cut so that it has room; the table has it whole. */
export function fitName(name: string, margin: number): string {
  const room = Math.floor((margin - 14) / CHAR_WIDTH)
  if (name.length <= room) return name
  const tail = name.slice(Math.max(0, name.lastIndexOf(' (')))
  return tail.length + 4 > room
    ? `${name.slice(0, Math.max(1, room - 1))}…`
    : `${name.slice(0, room - tail.length - 1)}…${tail}`
}

/** Options that all have in common. */
export const frameOptions = (width: number, ariaLabel: string) => ({
  className: CLASS,
  width,
  ariaLabel,
})

export type PlotElement = SVGSVGElement

/**
 * Plot puts a style element into its picture, which the policy of the pages refuses with a complaint: it is drawn in a document
 * that nobody sees, and comes without it. What it says stands in styles/report.css.
 */
export function drawPlot(options: Plot.PlotOptions): PlotElement {
  const unseen = document.implementation.createHTMLDocument('')
  // Without title, caption or legend options Plot answers a bare SVG.
  const plot = Plot.plot({ ...options, document: unseen }) as PlotElement
  for (const style of plot.querySelectorAll('style')) style.remove()
  // Plot names its groups, which have no role that may be named; the picture is one thing, and its table says the rest.
  for (const group of plot.querySelectorAll('[aria-label]')) {
    group.setAttribute('class', `mark-${group.getAttribute('aria-label')?.replaceAll(' ', '-')}`)
    group.removeAttribute('aria-label')
  }
  plot.setAttribute('role', 'img')
  return plot
}
