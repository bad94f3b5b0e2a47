"""FastAPI with ONNX Runtime: `fastapi_service.py PORT MODEL WORKERS BATCH`.

Each worker process decodes on threads (Pillow releases the interpreter's lock) and batches decoded photos as usual:
the first photo starts a batch, all photos that wait at that moment join it, and no photo waits for later ones.
"""

import asyncio
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import numpy as np
import uvicorn
from classifier import Classifier
from fastapi import FastAPI, Request

MODEL = os.environ.get("CLASSIFY_MODEL", "")
BATCH = int(os.environ.get("CLASSIFY_BATCH", "8"))
#: The number of threads in each worker process. The workers divide the cores among them.
THREADS = max(1, (os.cpu_count() or 1) // int(os.environ.get("CLASSIFY_WORKERS", "1")))


@asynccontextmanager
async def lifespan(app):
    app.classifier = Classifier(MODEL, threads=THREADS)
    app.decoders = ThreadPoolExecutor(THREADS)
    app.engine = ThreadPoolExecutor(1)
    app.queue = asyncio.Queue()
    task = asyncio.create_task(batches(app))
    yield
    task.cancel()


async def batches(app):
    loop = asyncio.get_running_loop()
    while True:
        waiting = [await app.queue.get()]
        while len(waiting) < BATCH and not app.queue.empty():
            waiting.append(app.queue.get_nowait())
        pixels = np.stack([pixels for pixels, _ in waiting])
        answers = await loop.run_in_executor(app.engine, infer, app.classifier, pixels)
        for (_, future), answer in zip(waiting, answers):
            if not future.done():
                future.set_result(answer)


def infer(classifier, pixels):
    return [classifier.answer(logits) for logits in classifier.infer(pixels)]


app = FastAPI(lifespan=lifespan)


@app.post("/classify")
async def classify(request: Request):
    loop = asyncio.get_running_loop()
    photo = await request.body()
    pixels = await loop.run_in_executor(app.decoders, app.classifier.decode, photo)
    future = loop.create_future()
    app.queue.put_nowait((pixels, future))
    return await future


if __name__ == "__main__":
    os.environ["CLASSIFY_MODEL"], os.environ["CLASSIFY_WORKERS"], os.environ["CLASSIFY_BATCH"] = sys.argv[2:5]
    uvicorn.run(
        "fastapi_service:app", host="127.0.0.1", port=int(sys.argv[1]), workers=int(sys.argv[3]), loop="uvloop",
        http="httptools", access_log=False, log_level="warning", app_dir=os.path.dirname(os.path.abspath(__file__)))
