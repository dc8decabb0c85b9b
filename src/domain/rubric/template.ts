/** One piece of a template: text, or a variable. `section`: only shown where this condition holds; null: always. */
type TemplatePiece = { readonly section: string | null } & ({ readonly text: string } | { readonly variable: string })

export interface Template {
  readonly pieces: readonly TemplatePiece[]
  /** Names of the sections that are opened. */
  readonly sections: readonly string[]
  /** Sections that are not closed, not opened, or stand in another one. */
  readonly faults: readonly string[]
}

/**
 * Reads `{{variable}}` and `{{#section}}…{{/section}}`. Sections do not nest. A tag of a section that stands alone on its line leaves no
 * line behind. One pass: what is put in for a variable is never looked into.
 */
export function readTemplate(source: string): Template {
  const pieces: TemplatePiece[] = []
  const sections: string[] = []
  const faults: string[] = []
  let section: string | null = null
  let at = 0
  for (let open = source.indexOf('{{'); open !== -1; open = source.indexOf('{{', at)) {
    const close = source.indexOf('}}', open)
    if (close === -1) break
    const tag = source.slice(open + 2, close).trim()
    pieces.push({ section, text: source.slice(at, open) })
    at = close + 2
    const name = tag.slice(1).trim()
    if (tag.startsWith('#')) {
      if (section !== null) faults.push(`{{#${name}}} stands in {{#${section}}}: sections do not nest`)
      section = name
      sections.push(name)
    } else if (tag.startsWith('/')) {
      if (section !== name) faults.push(`{{/${name}}} closes a section that is not open`)
      section = null
    } else {
      pieces.push({ section, variable: tag })
      continue
    }
    if ((open === 0 || source[open - 1] === '\n') && source[at] === '\n') at++
  }
  if (section !== null) faults.push(`{{#${section}}} is not closed`)
  pieces.push({ section: null, text: source.slice(at) })
  return { pieces, sections, faults }
}

/** The text where the conditions hold that are named. A variable without a value is left out; the loader lets none through. */
export const renderTemplate = (
  { pieces }: Template,
  values: Readonly<Record<string, string>>,
  holds: (section: string) => boolean,
): string =>
  pieces
    .filter(({ section }) => section === null || holds(section))
    .map((piece) => ('text' in piece ? piece.text : (values[piece.variable] ?? '')))
    .join('')
