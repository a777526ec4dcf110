import { useEffect, useState } from "preact/hooks";
import type { PageProps } from "../app";
import type { Position } from "../backend/backend";
import { boardOf } from "../boards";

export default function Play({ backend }: PageProps) {
  const [positions, setPositions] = useState<Position[]>([]);
  useEffect(() => {
    backend.models().then(async ([model]) => setPositions([await backend.start(model.game, 1)]));
  }, []);
  const now = positions[positions.length - 1];
  if (!now) return <p class="loading">Loading …</p>;
  const { Board } = boardOf(now.game);
  const act = async (action: string) => {
    const [, after] = await backend.follow(now.game, now.position, [action]);
    setPositions([...positions, after]);
  };
  return <Board position={now} previous={positions[positions.length - 2]} onAct={act} language="en" />;
}
