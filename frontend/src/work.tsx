// A robot at work: its column, the view and the results. It loads after the start page.

import { useEffect, useState } from "react";
import { FreeBase } from "./freebase";
import { Motion } from "./motion";
import { PlatformSliders } from "./platformpane";
import { Results } from "./results";
import { Joints, RobotColumn, Structure, Symbols, Tables } from "./robotcolumn";
import { isBeside } from "./state/result";
import { set, useStore } from "./store";
import { ViewPane } from "./viewpane";
import { useWords } from "./words";

/** Below this width, the table stands under the view; two results side by side need as much as the wide layout. */
const NARROW = 1180;
const WIDE = 1800;
const SINGLE = 900;
const TALL = 600;

function useWindow(): { width: number; height: number } {
  const [size, setSize] = useState({ width: innerWidth, height: innerHeight });
  useEffect(() => {
    const changed = () => setSize({ width: innerWidth, height: innerHeight });
    addEventListener("resize", changed);
    return () => removeEventListener("resize", changed);
  }, []);
  return size;
}

export default function Work() {
  const { width, height } = useWindow();
  const projector = useStore((s) => s.projector);
  const folded = useStore((s) => s.folded);
  const beside = useStore(isBeside);
  const sizes = useStore((s) => s.sizes);
  if (projector) return <main className="work projector"><ViewPane /><Results /></main>;
  if (width < SINGLE) return <SingleColumn tall={height >= TALL} />;
  if (width < NARROW || (beside && !folded.results && width < WIDE))
    return (
      <main className={beside ? "work narrow beside" : "work narrow"}>
        <div className="stack"><ViewPane /><Sheet /></div>
        {!folded.results && <Results />}
      </main>
    );
  const chosen = { "--robot": sizes.robot === null ? undefined : `min(${sizes.robot}px, 100vw - 800px)`, "--results": sizes.results === null || beside ? undefined : `min(${sizes.results}px, 100vw - 360px - var(--first))` } as React.CSSProperties;
  return (
    <main className={`work ${folded.robot ? "no-robot" : ""} ${folded.results ? "no-results" : ""} ${beside ? "beside" : ""}`} style={chosen}>
      {!folded.robot && <RobotColumn />}
      <div className="middle"><ViewPane /><Motion /></div>
      {!folded.results && <Results />}
    </main>
  );
}

const PLACES = [["robot", "Robot"], ["view", "View"], ["result", "Results"]] as const;

/** A small window shows one thing; the view stays made, so that it is there at once. A tall one has the table under the view. */
function SingleColumn({ tall }: { tall: boolean }) {
  const say = useWords();
  const place = useStore((s) => s.place);
  return (
    <main className="work single">
      <div className="tabs" role="tablist" aria-label={say("Robot")}>
        {PLACES.map(([key, title]) => <button key={key} role="tab" type="button" aria-selected={place === key} className="tab" onClick={() => set({ place: key })}>{say(title)}</button>)}
      </div>
      <div className="stack" hidden={place === "result"}><div className="view-place" hidden={place === "robot"}><ViewPane /></div>{(place === "robot" || tall) && <Sheet />}</div>
      {place === "result" && <Results />}
    </main>
  );
}

const SHEETS = [["table", "Table"], ["joints", "Joints"], ["motion", "Motion"], ["symbols", "Symbols"]] as const;

/** On a tablet: table, joints, motion and symbols under the view. */
function Sheet() {
  const say = useWords();
  const sheet = useStore((s) => s.sheet);
  return (
    <section className="sheet" aria-label={say("Table")}>
      <div className="tabs" role="tablist">
        {SHEETS.map(([key, title]) => (
          <button key={key} role="tab" type="button" aria-selected={sheet === key} className="tab" onClick={() => set({ sheet: key })}>{say(title)}</button>
        ))}
      </div>
      <div className="scroll">
        {sheet === "table" && <Tables />}
        {sheet === "joints" && <><FreeBase /><PlatformSliders /><Joints /></>}
        {sheet === "motion" && <Motion open />}
        {sheet === "symbols" && <><Symbols /><Structure /></>}
      </div>
    </section>
  );
}
