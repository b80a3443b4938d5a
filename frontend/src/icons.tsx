// One family of icons: 16 px, stroke 1.5.

const PATHS: Record<string, string> = {
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14",
  undo: "M5.5 6.5 2.5 4l3-2.5M2.5 4h7a4 4 0 0 1 0 8H5",
  redo: "m10.5 6.5 3-2.5-3-2.5M13.5 4h-7a4 4 0 0 0 0 8H11",
  share: "M8 10V2M5 4.5 8 1.5l3 3M3 8.5V14h10V8.5",
  report: "M4 1.5h5.5L13 5v9.5H4ZM9.5 1.5V5H13M6 8h5M6 11h5",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  down: "m4 6 4 4 4-4", right: "m6 4 4 4-4 4", close: "m4 4 8 8M12 4l-8 8", plus: "M8 3v10M3 8h10",
  cut: "M4 12.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0-6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm1.2-.7L13 11.5M5.2 10.2 13 4.5",
  frames: "M4 12V3M4 12l9 1.5M4 12 2 14M4 3 2.7 5M4 3l1.3 2M13 13.5l-2-1.4M13 13.5l-2.1.6",
  eye: "M1.5 8S4 3.5 8 3.5 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  cube: "M8 1.5 13.5 4.6v6.8L8 14.5l-5.5-3.1V4.6ZM2.5 4.6 8 7.8l5.5-3.2M8 7.8v6.7",
  tag: "M2 2h5.5l6.5 6.5L8.5 14 2 7.5ZM5 5h.01",
  home: "m2 8 6-5.5L14 8M4 7v6.5h8V7", fit: "M2 5V2h3M11 2h3v3M14 11v3h-3M5 14H2v-3",
  warning: "M8 2 15 14H1ZM8 6.5v3.5M8 12h.01", check: "m3 8.5 3.2 3.2L13 5", clock: "M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 4.5V8l2.5 1.5",
  turn: "M12.5 5A5 5 0 1 0 13 9M12.5 2v3h-3", slide: "M8 2v12M5.5 4.5 8 2l2.5 2.5M5.5 11.5 8 14l2.5-2.5", lock: "M4.5 7V5a3.5 3.5 0 0 1 7 0v2M3 7h10v7H3Z",
  chain: "M6.5 9.5 9.5 6.5M7 4.5l1.7-1.7a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.7 1.7a3.2 3.2 0 0 1-4.5-4.5L4.5 7", target: "M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10ZM8 1v4M8 11v4M1 8h4M11 8h4",
  cloud: "M4 4h.01M8 2.5h.01M12 4.5h.01M2.5 8h.01M6 7h.01M10 7.5h.01M13.5 8.5h.01M4 11.5h.01M8 10.5h.01M8 13.5h.01M11.5 12h.01",
  copy: "M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3", download: "M8 2v8M5 7.5l3 3 3-3M2.5 13.5h11", table: "M2 3h12v10H2ZM2 6.5h12M6 6.5V13",
  folder: "M1.5 3h4.5l1.5 2h7v8.5h-13Z", beside: "M2 2.5h12v11H2ZM8 2.5v11", play: "M5 3v10l8-5Z", pause: "M5 3v10M11 3v10", repeat: "M3 7V6a2.5 2.5 0 0 1 2.5-2.5h7M10.5 1.5l2 2-2 2M13 9v1a2.5 2.5 0 0 1-2.5 2.5h-7M5.5 14.5l-2-2 2-2",
  model: "M9.5 2.5C7 2 7 4 6.6 6L5.2 12c-.4 1.700-1.500 2-2.700 1.500M4.500 6.500h4M9.500 8.500l4 5M13.500 8.500l-4 5", keyboard: "M1.500 4h13v8.500h-13ZM4 7h.01M6.700 7h.01M9.300 7h.01M12 7h.01M5 10h6", projector: "M2 2h12M3 2v8h10V2M8 10v2M5 14.500l3-2.500 3 2.500", more: "M3.500 8h.01M8 8h.01M12.500 8h.01", trash: "M2.500 4h11M6 4V2h4v2M4 4l.7 10h6.600L12 4",
};

export function Icon({ name }: { name: string }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function IconButton({ name, label, ...more }: { name: string; label: string } & React.ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} {...more}>
      <Icon name={name} />
    </button>
  );
}
