import { REVIEWS, STRUCTURES } from './archive.ts'
import { type Result, summary } from './cells.ts'
import type { Method } from './methods.ts'

const WIDTH = 900
const LEFT = 250
const ROW = 22
const x = (coverage: number): number => LEFT + coverage * (WIDTH - LEFT - 40)
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

interface Row {
  readonly name: string
  readonly method: Method
  readonly reviews: number
  readonly colour: string
}
const ROWS: readonly Row[] = [
  { name: 'judge’s own share', method: 'judge’s raw share', reviews: 30, colour: '#c0392b' },
  ...REVIEWS.map((reviews) => ({
    ...{ name: `corrected: ${reviews} reviews`, method: 'as reported' as const, reviews },
    colour: '#1f6fb2',
  })),
]

/** A dot for each judge: how often its 95% intervals hold the truth, by how they are made; a panel for each structure. */
export function picture(results: readonly Result[]): string {
  const panels = STRUCTURES.filter(({ tasks, alike }) => tasks === 0 || (tasks < 40 && alike < 0.8))
  const judges = [...new Set(results.map(({ judge }) => judge))]
  const height = 56 + panels.length * (ROWS.length * ROW + 40)
  const drawn = panels.map((structure, panel) => {
    const top = 50 + panel * (ROWS.length * ROW + 40)
    const rows = ROWS.map(({ name, method, reviews, colour }, place) => {
      const y = top + 24 + place * ROW
      const dots = judges.map((judge) => {
        const own = results.filter(
          (one) => one.judge === judge && one.structure.name === structure.name && one.reviews === reviews,
        )
        return `<circle cx="${x(summary(own, method).coverage).toFixed(1)}" cy="${y}" r="4" fill="${colour}" fill-opacity=".55"/>`
      })
      return `<text x="${LEFT - 12}" y="${y + 4}" text-anchor="end">${escaped(name)}</text>${dots.join('')}`
    })
    const bottom = top + 14 + ROWS.length * ROW
    const grid = [0, 0.25, 0.5, 0.75, 1].map(
      (share) =>
        `<line x1="${x(share)}" x2="${x(share)}" y1="${top + 12}" y2="${bottom}" stroke="#ddd"/><text x="${x(share)}" y="${bottom + 12}" text-anchor="middle" fill="#666">${100 * share}%</text>`,
    )
    const target = `<line x1="${x(0.95)}" x2="${x(0.95)}" y1="${top + 12}" y2="${bottom}" stroke="#222" stroke-dasharray="4 3"/>`
    return `<g><text x="${LEFT}" y="${top}" font-weight="bold">${escaped(structure.name)}</text>${grid.join('')}${target}${rows.join('')}</g>`
  })
  const title = `How often the 95% interval holds the true share: ${judges.length} real judges, one dot each (dashed: 95%)`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="12"><title>${title}</title><rect width="${WIDTH}" height="${height}" fill="white"/><text x="16" y="22" font-size="14" font-weight="bold">${title}</text>${drawn.join('')}</svg>\n`
}
