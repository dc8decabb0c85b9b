import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { SoakRun } from './run.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const packaged = createRequire(import.meta.url)

/** The run as one SVG: memory, event-loop delay, rates and times of hits over time, the phases shaded. Null without Chromium. */
export async function renderPlot(run: SoakRun): Promise<string | null> {
  if (!existsSync(CHROMIUM)) return null
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.addScriptTag({ path: join(dirname(packaged.resolve('d3')), 'd3.min.js') })
    await page.addScriptTag({
      path: join(dirname(packaged.resolve('@observablehq/plot')), '..', 'dist', 'plot.umd.min.js'),
    })
    const { phases, samples, seconds } = run
    return (await page.evaluate(`(${DRAW})(${JSON.stringify({ phases, samples, seconds })})`)) as string
  } finally {
    await browser.close()
  }
}

/** Runs in the page, where Plot has a document: charts one under the other in one SVG. */
const DRAW = `({ phases, samples, seconds }) => {
  const WIDTH = 960, HEIGHT = 170
  const shade = (label) => [
    Plot.rect(phases.filter((_, i) => i % 2 === 0), { x1: 'from', x2: 'to', fill: '#888', fillOpacity: 0.12 }),
    ...(label ? [0, 1, 2].map((row) => Plot.text(phases.filter((_, i) => i % 3 === row), { x: (d) => (d.from + d.to) / 2, text: 'name', frameAnchor: 'top', dy: -8 - 10 * row, fontSize: 9 })) : []),
  ]
  const chart = (title, list, lines, y, first) => Plot.plot({
    width: WIDTH, height: HEIGHT, marginLeft: 60, marginTop: 42, marginRight: 110,
    x: { label: 'seconds', domain: [0, Math.max(...[...phases.map((d) => d.to), ...samples.map((d) => d.at)])] },
    y: { label: title, grid: true, ...y },
    marks: [
      ...shade(first),
      ...lines.map(([key, colour]) => Plot.lineY(list.filter((d) => d[key] !== null && (y.type !== 'log' || d[key] > 0)), { x: 'at', y: key, stroke: colour, strokeWidth: 1.2 })),
    ],
  })
  const charts = [
    [chart('memory, MB', samples, [['anonymous_mb', '#0072b2'], ['heap_mb', '#d55e00'], ['body_mb', '#009e73']], {}, true), [['anonymous', '#0072b2'], ['heap', '#d55e00'], ['bodies held', '#009e73']]],
    [chart('event-loop delay, p99 of a second, ms', samples, [['loop_p99_ms', '#0072b2']], { type: 'log' }), []],
    [chart('answers a second', seconds, [['answered', '#0072b2']], {}), []],
    [chart('cache hits, ms', seconds, [['hit_p99_ms', '#d55e00'], ['hit_p50_ms', '#0072b2']], { type: 'log' }), [['p50', '#0072b2'], ['p99', '#d55e00']]],
  ]
  const NS = 'http://www.w3.org/2000/svg'
  const whole = document.createElementNS(NS, 'svg')
  const height = charts.length * (HEIGHT + 14)
  whole.setAttribute('xmlns', NS)
  whole.setAttribute('viewBox', '0 0 ' + WIDTH + ' ' + height)
  whole.setAttribute('width', WIDTH)
  whole.setAttribute('height', height)
  whole.setAttribute('font-family', 'system-ui, sans-serif')
  const back = document.createElementNS(NS, 'rect')
  for (const [name, value] of [['width', WIDTH], ['height', height], ['fill', 'white']]) back.setAttribute(name, value)
  whole.append(back)
  charts.forEach(([svg, legend], index) => {
    const group = document.createElementNS(NS, 'g')
    group.setAttribute('transform', 'translate(0 ' + index * (HEIGHT + 14) + ')')
    group.setAttribute('font-size', '10')
    group.append(...[...svg.childNodes].filter((one) => one.nodeName !== 'style'))
    legend.forEach(([text, colour], line) => {
      const label = document.createElementNS(NS, 'text')
      for (const [name, value] of [['x', WIDTH - 102], ['y', 50 + line * 14], ['fill', colour], ['font-size', 11]]) label.setAttribute(name, value)
      label.textContent = text
      group.append(label)
    })
    whole.append(group)
  })
  return new XMLSerializer().serializeToString(whole) + '\\n'
}`
