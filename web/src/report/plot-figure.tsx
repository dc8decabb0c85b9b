import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { fileNameOf, saveSvg } from '../export/files.ts'
import type { PlotElement } from './plots.ts'

const WIDEST = 760
const NARROWEST = 280

export interface PlotFigureProps {
  readonly id: string
  readonly title: string
  /** What stands in the caption: what is drawn, of how many, and what is not in it. */
  readonly caption: ComponentChildren
  /** Null: there is nothing to draw, which is said in its place. */
  readonly draw: ((width: number) => PlotElement) | null
  /** The same numbers as a table. */
  readonly children: ComponentChildren
}

/** A plot with its caption, its picture to take away, and its numbers in a table beside it. */
export function PlotFigure({ id, title, caption, draw, children }: PlotFigureProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  useEffect(() => {
    if (draw === null || width === null) return
    const plot = draw(width)
    box.current?.replaceChildren(plot)
  }, [draw, width])
  return (
    <section class="plot-section" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <figure class="plot" aria-labelledby={`${id}-title`}>
        <div ref={box} class="plot-box" data-plot={id} />
        {draw === null && <p>Nothing to draw: there is no group with these numbers. The table has what is known.</p>}
        <figcaption>{caption}</figcaption>
        {draw !== null && (
          <button type="button" data-export="no" onClick={() => saveSvg(fileNameOf('veridict', id), draw(WIDEST))}>
            Save this plot as SVG
          </button>
        )}
      </figure>
      {children}
    </section>
  )
}

/** The width that a plot has; text in it keeps its size at any of them. */
function useWidth(box: { readonly current: HTMLElement | null }): number | null {
  const [width, setWidth] = useState<number | null>(null)
  useEffect(() => {
    const { current } = box
    if (current === null) return
    const watch = new ResizeObserver(([entry]) => {
      if (entry === undefined || entry.contentRect.width === 0) return
      setWidth(Math.round(Math.min(WIDEST, Math.max(NARROWEST, entry.contentRect.width))))
    })
    watch.observe(current)
    return () => watch.disconnect()
  }, [box])
  return width
}
