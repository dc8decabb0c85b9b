import type { ComponentChildren, JSX } from 'preact'
import { HostileText } from '../text/hostile-text.tsx'

/** What stands where there is nothing: a dash, or why. */
export const None = ({ children = '–' }: { readonly children?: ComponentChildren }): JSX.Element => (
  <span class="none">{children}</span>
)

/** A name that somebody else wrote, or that there is none. */
export const NameOrNone = ({ name }: { readonly name: string | null | undefined }): JSX.Element =>
  name ? <HostileText text={name} /> : <None />
