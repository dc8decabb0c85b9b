import { confirmAct } from '../ui/notice.tsx'

/** Lets the browser save a text as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  confirmAct(`Saved: ${name}`)
}

/** Joins the parts of a file's name, with the characters that every file system takes. */
export const fileNameOf = (...parts: readonly (string | null)[]): string =>
  parts.flatMap((part) => (part ? [part.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 60)] : [])).join('-')

const escapeText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

const LEFT_OUT =
  '[data-export=no], script, style, link, meta, img, iframe, object, embed, button, select, input, textarea, form, search, nav, dialog'
const VOID = new Set(['br', 'hr'])

/** Renders a part of the page as markup that does nothing: without controls, scripts, pictures and links to elsewhere. */
function serialize(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return escapeText(node.textContent ?? '')
  if (!(node instanceof Element) || node.matches(LEFT_OUT)) return ''
  const attributes = [...node.attributes].filter(
    ({ name, value }) => !/^(?:on|style$|src)/.test(name) && (!name.endsWith('href') || value.startsWith('#')),
  )
  const { localName } = node
  const open = `<${localName}${attributes.map(({ name, value }) => ` ${name}="${escapeText(value)}"`).join('')}>`
  return VOID.has(localName) ? open : `${open}${[...node.childNodes].map(serialize).join('')}</${localName}>`
}

/** Renders a part of the page as one file without scripts, with all styles. Its policy refuses scripts and requests. */
export function toHtmlFile(title: string, part: Element): string {
  const styles = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeText(title)}</title>
<style>
${styles.join('\n').replaceAll('</', '<\\/')}
</style>
</head>
<body class="exported">
<main>
${serialize(part)}
</main>
</body>
</html>
`
}

/** Saves a plot as a picture on white, with the colours of the light theme written out: a picture has no style sheet. */
export function saveSvg(name: string, plot: SVGSVGElement): void {
  const white = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  for (const [key, value] of Object.entries({ width: '100%', height: '100%', fill: '#ffffff' }))
    white.setAttribute(key, value)
  plot.prepend(white)
  const look = { fill: 'var(--ink)', 'font-size': '12', 'font-family': 'Helvetica, Arial, sans-serif' }
  for (const [key, value] of Object.entries(look)) plot.setAttribute(key, value)
  const markup = serialize(plot).replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')
  saveFile(`${name}.svg`, 'image/svg+xml', `<?xml version="1.0" encoding="UTF-8"?>\n${writeColours(markup)}\n`)
}

/** Replaces `var(--aligned)` by its colour: `rgb(28, 122, 62)`. */
function writeColours(markup: string): string {
  const probe = document.createElement('span')
  probe.style.colorScheme = 'light'
  document.body.append(probe)
  const light = (name: string): string => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  }
  const written = markup
    .replaceAll('currentColor', light('--ink'))
    .replace(/var\((--[a-z_-]+)\)/g, (_, name: string) => light(name))
  probe.remove()
  return written
}
