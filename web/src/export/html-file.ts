import { saveFile } from './save-file.ts'
import { escapeText, serialize } from './serialize.ts'

/**
 * One file that shows a part of a page by itself: no script, all styles in it, nothing fetched; its policy would also refuse a
 * script that somehow came in.
 */
export function toHtmlFile(title: string, part: Element): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="generator" content="Veridict">
<title>${escapeText(title)}</title>
<style>
${readStyles()}
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

export function saveHtml(title: string, fileName: string, part: Element): void {
  saveFile(fileName, 'text/html', toHtmlFile(title, part))
}

/** All rules of the page. `</` cannot stand in them, so that nothing in them ends the element. */
function readStyles(): string {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText))
  return rules.join('\n').replaceAll('</', '<\\/')
}
