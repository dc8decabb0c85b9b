/** Piece of a template: text, or a variable. `section`: only shown where this condition holds; null: always. */
type TemplatePiece = { readonly section: string | null } & ({ readonly text: string } | { readonly variable: string })

/** A name in braces, and where it stands in the text. */
interface Tag {
  readonly name: string
  readonly at: number
}

export interface Template {
  readonly pieces: readonly TemplatePiece[]
  readonly variables: readonly (Tag & { readonly section: Tag | null })[]
  /** The sections that are opened. */
  readonly sections: readonly Tag[]
  /** Tags and sections that are not closed, not opened, or stand in another one. */
  readonly faults: readonly { readonly message: string; readonly at: number }[]
}

/**
 * Reads `{{variable}}` and `{{#section}}…{{/section}}`. Sections do not nest. A tag of a section that stands alone on its line leaves no
 * line behind. One pass: what is put in for a variable is never looked into.
 */
export function readTemplate(source: string): Template {
  const pieces: TemplatePiece[] = []
  const variables: (Tag & { readonly section: Tag | null })[] = []
  const sections: Tag[] = []
  const faults: { message: string; at: number }[] = []
  let section: Tag | null = null
  let next = 0
  for (let at = source.indexOf('{{'); at !== -1; at = source.indexOf('{{', next)) {
    const close = source.indexOf('}}', at)
    if (close === -1) {
      faults.push({ message: '{{ is not closed: write }} behind the name', at })
      break
    }
    const tag = source.slice(at + 2, close).trim()
    pieces.push({ section: section?.name ?? null, text: source.slice(next, at) })
    next = close + 2
    const name = tag.slice(1).trim()
    if (tag.startsWith('#')) {
      if (section !== null)
        faults.push({
          message: `{{#${name}}} stands in {{#${section.name}}}: close that one first, sections do not nest`,
          at,
        })
      section = { name, at }
      sections.push(section)
    } else if (tag.startsWith('/')) {
      if (section?.name !== name)
        faults.push({ message: `{{/${name}}} closes a section that is not open: write {{#${name}}} before it`, at })
      section = null
    } else {
      pieces.push({ section: section?.name ?? null, variable: tag })
      variables.push({ name: tag, at, section })
      continue
    }
    if ((at === 0 || source[at - 1] === '\n') && source[next] === '\n') next++
  }
  if (section !== null)
    faults.push({
      message: `{{#${section.name}}} is not closed: write {{/${section.name}}} where it ends`,
      at: section.at,
    })
  pieces.push({ section: null, text: source.slice(next) })
  return { pieces, variables, sections, faults }
}

/** Renders the pieces whose sections hold. A variable without a value is left out; the loader lets none through. */
export const renderTemplate = (
  { pieces }: Template,
  values: Readonly<Record<string, string>>,
  holds: (section: string) => boolean,
): string =>
  pieces
    .filter(({ section }) => section === null || holds(section))
    .map((piece) => ('text' in piece ? piece.text : (values[piece.variable] ?? '')))
    .join('')
