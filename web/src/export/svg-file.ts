import { saveFile } from './save-file.ts'
import { serialize } from './serialize.ts'

/**
 * A plot as a picture of its own, for a paper: on white, with the colours of the light theme written out, since a picture knows no
 * style sheet of ours.
 */
function toSvgFile(plot: SVGSVGElement): string {
  const copy = plot.cloneNode(true) as SVGSVGElement
  const white = copy.ownerDocument.createElementNS('http://www.w3.org/2000/svg', 'rect')
  white.setAttribute('width', '100%')
  white.setAttribute('height', '100%')
  white.setAttribute('fill', '#ffffff')
  copy.prepend(white)
  copy.setAttribute('fill', 'var(--ink)')
  copy.setAttribute('font-size', '12')
  copy.setAttribute('font-family', 'Helvetica, Arial, sans-serif')
  const markup = serialize(copy).replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeColours(markup)}\n`
}

export const saveSvg = (name: string, plot: SVGSVGElement): void =>
  saveFile(`${name}.svg`, 'image/svg+xml', toSvgFile(plot))

/** `var(--aligned)` → `rgb(28, 122, 62)`. */
function writeColours(markup: string): string {
  const probe = document.createElement('span')
  probe.style.colorScheme = 'light'
  document.body.append(probe)
  try {
    const light = (name: string) => {
      probe.style.color = `var(${name})`
      return getComputedStyle(probe).color
    }
    return markup
      .replaceAll('currentColor', light('--ink'))
      .replace(/var\((--[a-z_-]+)\)/g, (_, name: string) => light(name))
  } finally {
    probe.remove()
  }
}
