def main(id: str) -> dict:
    """Give what there is on an id.

    Args:
        id: Which one.
    """
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
