import { type Segment, visibleText } from './visible-text.ts'

/**
 * A line of text that an adversary may have written: trajectories, replies of judges, names in metadata, file paths. The text can neither
 * reorder the page around it nor hide a part of itself.
 */
export const HostileText = ({ text }: { readonly text: string }) => (
  <bdi class="hostile" dir="ltr">
    <Segments segments={visibleText(text)} />
  </bdi>
)

/** Text by an adversary in the font of code. */
export const HostileCode = ({ text, ...more }: { readonly text: string; readonly class?: string }) => (
  <code class={more.class}>
    <HostileText text={text} />
  </code>
)

/** The least length of a block that may scroll by itself: keyboards must reach it. */
const TALL_CHARS = 250

/** A block of text by an adversary, with its line ends and wrapped lines. */
export const HostileBlock = ({ text }: { readonly text: string }) => (
  <pre
    class="hostile hostile-block"
    dir="ltr"
    tabIndex={text.length > TALL_CHARS || text.split('\n', 6).length === 6 ? 0 : undefined}
  >
    <Segments segments={visibleText(text)} />
  </pre>
)

/** Pieces of `visibleText` as text nodes and marks, never as markup. */
export const Segments = ({ segments }: { readonly segments: readonly Segment[] }) => (
  <>
    {segments.map((segment) =>
      segment.kind === 'plain' ? (
        segment.text
      ) : (
        <span key={segment.start} class="escape" title="a character that would not be seen">
          {segment.text}
        </span>
      ),
    )}
  </>
)
