import { forget, recall, remember } from './memory.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]
const KEY = 'veridict.theme'

export const readTheme = (): Theme => THEMES.find((theme) => theme === recall(KEY)) ?? 'system'

/** `system` follows the machine; the others stay until changed. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') forget(KEY)
  else remember(KEY, theme)
  applyTheme()
}

export function applyTheme(): void {
  const theme = readTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
