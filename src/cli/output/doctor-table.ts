import { type Finding, SEVERITIES, type Severity } from '../../ports/upkeep-ports.ts'
import { asTyped } from '../client/program-name.ts'
import { inert, type Paint, pad, type Style } from '../results/terminal-text.ts'

const STYLE: Readonly<Record<Severity, Style>> = { ok: 'green', note: 'cyan', warning: 'yellow', error: 'red' }

/** A finding with what it means and what to do below it. Names come from the file, so they are made safe. */
export function findingLine(finding: Finding, program: { readonly program?: string }, paint: Paint): string {
  const { severity, check, found, means, advice, ids } = finding
  const word = pad(paint(STYLE[severity], severity), 8)
  const more = [means, advice === null ? null : `→ ${asTyped(program, advice)}`, ids.length > 0 ? ids.join(' ') : null]
  const lines = [
    `  ${word} ${pad(check, 23)} ${inert(found)}`,
    ...more.filter((text) => text !== null).map((text) => `${' '.repeat(11)}${inert(text)}`),
  ]
  return `${lines.join('\n')}\n`
}

/** How many of each severity. */
export const summaryLine = (findings: readonly Finding[]): string => {
  const counts = SEVERITIES.map((severity) => [severity, findings.filter((one) => one.severity === severity).length])
  return `${counts.map(([severity, n]) => `${n} ${severity}`).join(', ')}\n`
}
